/* misspelt.h: variables of the environment that look like settings and are none. */
#ifndef FG_MISSPELT_H
#define FG_MISSPELT_H

/* One line on stderr for each, with the setting that is nearest: a user who meant one would wait for its effect. */
void fg_misspelt_tell(void);

#endif
