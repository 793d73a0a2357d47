// Lets a process do its work so that others do not notice it.
//
//   if (!EndWithParent(parent_pid)) return 1;
//   GoToBackground(/*niceness=*/19);
#ifndef STOWAGE_SERVER_TRAINING_BACKGROUND_H_
#define STOWAGE_SERVER_TRAINING_BACKGROUND_H_

namespace stowage {

// Makes the kernel kill this process when the thread that started it ends.
// Returns false when the parent has ended already.
bool EndWithParent(int parent_pid);

// Lowers the priority of this process and of the threads that it starts
// afterwards: nice(2), the batch scheduling class, idle I/O (where the I/O
// scheduler knows classes), and the first choice of the kernel when memory runs
// out. Not SCHED_IDLE: on a node that is always busy a training would never
// end. What the system refuses is left as it is.
void GoToBackground(int niceness);

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_BACKGROUND_H_
