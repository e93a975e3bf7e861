/* pack.c: sequences of (literals, match), after Ziv and Lempel, "A universal algorithm for sequential data compression",
 * 1977.
 *
 *     count, so many literal bytes, length, distance, count, …      until all is there; numbers of 7 bits a byte
 *
 * A distance counts back from where the match goes, through what is there already into the end of the dictionary. */
#include "config.h"

#include "cuda/pack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_BITS = 16, SHORTEST = 4, MOST_TRIES = 96, LONG_ENOUGH = 512 };

/* ---- packing ---- */

typedef struct {
  unsigned char *text; /* dictionary, then data */
  size_t bytes;
  int32_t *head, *before; /* by hash: the last place; by place: the one before it, -1: none */
  unsigned char *out;
  size_t at;
} packer;

typedef struct {
  size_t length, distance;
} match;

static size_t digits(size_t number) {
  size_t count = 1;
  while (number >>= 7) count++;
  return count;
}

static void put_number(packer *p, size_t number) {
  while (number >= 128) {
    p->out[p->at++] = (unsigned char)(number | 128);
    number >>= 7;
  }
  p->out[p->at++] = (unsigned char)number;
}

static unsigned hash_at(const packer *p, size_t at) {
  uint32_t word;
  memcpy(&word, p->text + at, sizeof word);
  return word * UINT32_C(2654435761) >> (32 - HASH_BITS);
}

static void remember(packer *p, size_t at) {
  if (at + SHORTEST > p->bytes) return;
  const unsigned hash = hash_at(p, at);
  p->before[at] = p->head[hash];
  p->head[hash] = (int32_t)at;
}

static size_t length_of(const packer *p, size_t a, size_t b) {
  size_t length = 0;
  while (b + length < p->bytes && p->text[a + length] == p->text[b + length]) length++;
  return length;
}

/* Bytes that a match saves. */
static ptrdiff_t gain(match m) {
  return (ptrdiff_t)m.length - (ptrdiff_t)(digits(m.length) + digits(m.distance)) - 1;
}

static match find(const packer *p, size_t at) {
  match best = {0, 0};
  if (at + SHORTEST > p->bytes) return best;
  int32_t from = p->head[hash_at(p, at)];
  for (int tries = 0; from >= 0 && tries < MOST_TRIES && best.length < LONG_ENOUGH; tries++) {
    const match m = {length_of(p, (size_t)from, at), at - (size_t)from};
    if (m.length >= SHORTEST && gain(m) > (best.length ? gain(best) : 0)) best = m;
    from = p->before[from];
  }
  return best;
}

static void put_literals(packer *p, size_t from, size_t count) {
  put_number(p, count);
  memcpy(p->out + p->at, p->text + from, count);
  p->at += count;
}

/* A match is left for the one that begins a byte later, if that saves more. */
static void pack_from(packer *p, size_t at) {
  size_t literals = at;
  while (at < p->bytes) {
    const match m = find(p, at);
    remember(p, at);
    const match later = m.length && m.length < LONG_ENOUGH ? find(p, at + 1) : (match){0, 0};
    if (!m.length || (later.length && gain(later) > gain(m) + 1)) {
      at++;
      continue;
    }
    put_literals(p, literals, at - literals);
    put_number(p, m.length);
    put_number(p, m.distance);
    for (size_t i = 1; i < m.length; i++) remember(p, at + i);
    literals = at += m.length;
  }
  if (literals < p->bytes) put_literals(p, literals, p->bytes - literals);
}

static bool packer_make(packer *p, fg_dictionary d, const void *from, size_t bytes) {
  p->bytes = d.bytes + bytes;
  p->text = malloc(p->bytes + 1);
  p->head = malloc(sizeof *p->head << HASH_BITS);
  p->before = malloc((p->bytes + 1) * sizeof *p->before);
  p->out = malloc(bytes + bytes / 64 + 32); /* matches never cost more than they stand for; counts of literals may */
  if (!p->text || !p->head || !p->before || !p->out) return false;
  if (d.bytes) memcpy(p->text, d.data, d.bytes);
  if (bytes) memcpy(p->text + d.bytes, from, bytes);
  memset(p->head, 0xff, sizeof *p->head << HASH_BITS);
  return true;
}

void *fg_pack(fg_dictionary d, const void *from, size_t bytes, size_t *packed) {
  packer p = {0};
  const bool made = packer_make(&p, d, from, bytes);
  if (made) {
    for (size_t at = 0; at < d.bytes; at++) remember(&p, at);
    pack_from(&p, d.bytes);
    *packed = p.at;
  }
  free(p.text);
  free(p.head);
  free(p.before);
  if (made) return p.out;
  free(p.out);
  return NULL;
}

/* ---- unpacking ---- */

typedef struct {
  const unsigned char *at, *end;
} input;

static bool get_number(input *in, size_t *number) {
  *number = 0;
  for (int shift = 0; shift < 35 && in->at < in->end; shift += 7) {
    const size_t digit = *in->at++;
    *number |= (digit & 127) << shift;
    if (digit < 128) return true;
  }
  return false;
}

/* count bytes from distance behind at, where the two may overlap. */
static void repeat(fg_dictionary d, unsigned char *to, size_t at, size_t distance, size_t count) {
  while (count > 0 && distance > at) {
    const size_t back = distance - at, part = back < count ? back : count;
    memcpy(to + at, (const unsigned char *)d.data + d.bytes - back, part);
    at += part;
    count -= part;
  }
  for (size_t i = 0; i < count; i++) to[at + i] = to[at + i - distance];
}

static bool get_literals(input *in, unsigned char *to, size_t *at, size_t bytes) {
  size_t count;
  if (!get_number(in, &count) || count > bytes - *at || count > (size_t)(in->end - in->at)) return false;
  memcpy(to + *at, in->at, count);
  in->at += count;
  *at += count;
  return true;
}

static bool get_match(fg_dictionary d, input *in, unsigned char *to, size_t *at, size_t bytes) {
  size_t length, distance;
  if (!get_number(in, &length) || !get_number(in, &distance)) return false;
  if (length > bytes - *at || distance < 1 || distance > *at + d.bytes) return false;
  repeat(d, to, *at, distance, length);
  *at += length;
  return true;
}

bool fg_unpack(fg_dictionary d, const void *from, size_t packed, void *to, size_t bytes) {
  input in = {from, (const unsigned char *)from + packed};
  size_t at = 0;
  while (at < bytes) {
    if (!get_literals(&in, to, &at, bytes)) return false;
    if (at < bytes && !get_match(d, &in, to, &at, bytes)) return false;
  }
  return in.at == in.end;
}
