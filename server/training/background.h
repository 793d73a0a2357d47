// Makes a process work in the background, so that others do not notice it.
//
//   if (!EndWithParent(parent_pid)) return 1;
//   GoToBackground(/*niceness=*/19);
#ifndef STOWAGE_SERVER_TRAINING_BACKGROUND_H_
#define STOWAGE_SERVER_TRAINING_BACKGROUND_H_

namespace stowage {

// Makes the operating system kill this process when the thread that started it
// ends. Returns false if the parent has ended already.
bool EndWithParent(int parent_pid);

// Lowers the priority of this process and of the threads that it starts later:
// sets nice(2), the batch scheduling class and idle I/O (which counts if the
// I/O scheduler knows classes), and makes the process the first to be killed
// when memory runs out. Does not use SCHED_IDLE, with which a training would
// never end on a node that is always busy. Leaves as it is what the system
// refuses.
void GoToBackground(int niceness);

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_BACKGROUND_H_
