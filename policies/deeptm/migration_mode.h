// Whether kernels wait for migrations.
#ifndef STOWAGE_POLICIES_DEEPTM_MIGRATION_MODE_H_
#define STOWAGE_POLICIES_DEEPTM_MIGRATION_MODE_H_

namespace stowage::policies {

// DeepTM IV-B. Synchronous: a migration is complete before the kernel starts
// (eq. 4). Asynchronous: it runs while the kernel runs, holds room on both
// sides (eq. 7), and only what is longer than the kernel is waited for (eq. 5
// and 6).
enum class MigrationMode { kSynchronous, kAsynchronous };

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_MIGRATION_MODE_H_
