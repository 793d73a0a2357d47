// Says whether kernels wait for migrations.
#ifndef STOWAGE_POLICIES_DEEPTM_MIGRATION_MODE_H_
#define STOWAGE_POLICIES_DEEPTM_MIGRATION_MODE_H_

namespace stowage::policies {

// The modes of DeepTM IV-B. A synchronous migration is complete before the
// kernel starts (eq. 4). An asynchronous one runs while the kernel runs and
// holds room on both sides (eq. 7); the kernel waits only if the migration
// takes longer (eq. 5 and 6).
enum class MigrationMode { kSynchronous, kAsynchronous };

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_MIGRATION_MODE_H_
