/* told.h: what the library told, in its log. */
#ifndef FG_TEST_TOLD_H
#define FG_TEST_TOLD_H

#include <stdbool.h>
#include <stddef.h>

/* Log warnings and errors to a file of this test; to be called in main.  The file goes when the program ends well. */
void test_log_to_file(void);
void test_log_remove(void);

/* The file of the process that started this one. */
void test_log_inherit(void);

/* Forget all lines so far. */
void test_log_clear(void);

/* Lines of a level ("warn", "error") since then, and whether one of any level holds a text. */
int test_log_lines(const char *level);
bool test_log_says(const char *text);

/* Run work(argument) in a child, which then leaves without a word.  Returns what waitpid says of it; stderr_text is
 * what it wrote to stderr, cut to size. */
int test_in_child(void (*work)(void *argument), void *argument, char *stderr_text, size_t size);

#endif
