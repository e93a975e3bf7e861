/* choice.h: one geometry of a pass among the possible ones, as data: listed, measured, kept as text, put in again.
 *
 * What follows from it (orders of the stages, moves, skews) is worked out anew when it is put in, and what does not fit
 * the pass or the device is refused: a foreign or old choice can be slow, but never wrong. */
#ifndef FG_CHOICE_H
#define FG_CHOICE_H

#include "src/pass/pass.h"

typedef struct {
  int stages, radix[FG_MAX_STAGES], axis[FG_MAX_STAGES]; /* TILE: without moves, no axes; BOX: as in the pass */
  bool across;                                           /* Rader's: the stages run across lines first */
  bool ahead;                                            /* TILE: the next tile is copied in while one is stored */
  int cluster;                                           /* BOX: as in the pass; TILE: 1 */
  int lines, threads, blocks_sm;
  int spacing;                                           /* TILE: the pad; BOX: the pitch */
} fg_choice;

fg_choice fg_choice_of(const fg_pass *p);
bool fg_choice_equal(const fg_choice *, const fg_choice *);

/* Give p that geometry; false, and p is unchanged, if it cannot have it on this device. */
bool fg_choice_apply(const fg_choice *c, fg_pass *p, const fg_device_info *device);

/* Other geometries than p's, at most so many: first others of lines, radices and threads, the likeliest first; then
 * variants: p's own with more registers a thread, or fewer, or with other padding.  Dense rows and columns of which few fit a
 * multiprocessor have a share of the list for tiles that are loaded ahead, rows of a long list (FG_LONG_LIST and more) a third of
 * it for small blocks.  Returns how many. */
enum { FG_LONG_LIST = 64 };
int fg_choice_list(const fg_pass *p, const fg_device_info *device, fg_choice *list, int most);
int fg_choice_variants(const fg_pass *p, const fg_device_info *device, fg_choice *list, int most);

/* "16.16.16 1 256 3 16": radices, lines, threads, blocks a multiprocessor, spacing; of a box "z20.x20.y20 …", in
 * clusters of four "c4.z20.x20.y20 …"; of a permuted convolution that runs across its lines first "a10.10 …"; of a tile
 * whose blocks load the next one ahead "n16.16.16 …". */
enum { FG_CHOICE_TEXT = 160 };
void fg_choice_print(const fg_choice *c, char text[FG_CHOICE_TEXT]);
bool fg_choice_parse(fg_choice *c, const char *text);

/* False of what older programs found that no pass may have since, on any device (FG_MOST_STAGES_AHEAD; moves are not counted here,
 * so that some that fg_choice_apply refuses pass). */
bool fg_choice_trusted(const fg_choice *c);

/* All that the best geometry of p depends on, without blanks: "tile:1024/1024:s:uu:15:…". */
enum { FG_CHOICE_KEY = 160 };
void fg_choice_key(const fg_pass *p, char key[FG_CHOICE_KEY]);

#endif
