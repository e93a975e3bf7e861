/* ranks.h: the processes of one parallel program on this machine, as its launcher tells them in their environment.
 *
 * Hints: they divide what the processes share (the device's memory, opening it, processors that are not bound) and spread them
 * over several devices.  Known are Open MPI, MPICH and Intel MPI (Hydra), MVAPICH2 and Slurm's srun. */
#ifndef FG_RANKS_H
#define FG_RANKS_H

/* count processes here, of which this is number rank, from 0; 0 of 1 if nobody says. */
typedef struct {
  int rank, count;
} fg_ranks;

fg_ranks fg_ranks_here(void);

/* Of so many devices: the one for this process, and how many processes come to share it (>= 1).  Where each sees but one, all of
 * them count: theirs may be the same, and the driver is not asked who else uses it. */
int fg_ranks_device(int devices);
int fg_ranks_sharing(int devices);

/* How many processes are likely to share this one's device, before the driver is asked: by the devices that Slurm has given to the
 * step on this machine (srun(1), SLURM_GPUS_ON_NODE), else by those that the system lists (/proc/driver/nvidia/gpus).
 * Found once. */
int fg_ranks_expected(void);

/* Of the processors that this process may run on: its share of them. All of them if it is bound to less than the
 * machine has. */
int fg_ranks_processors(void);

#endif
