#!/bin/bash
# fetch.sh DIR: put the source of FFTW, as the distribution packages it, into DIR/source.  Only its test program is
# used.
#
# The system's apt sources stay as they are: a deb-src list is written into a temporary folder.  FG_FFTW_SOURCE may name
# a tree that is there already.  Exit status: 0 done, 77 the source cannot be had here.
set -eu
dir=${1:?usage: fetch.sh DIR}

skip() {
  echo "fetch.sh: $1; FFTW's own tests are skipped" >&2
  exit 77
}

[ -f "$dir/source/tests/check.pl" ] && exit 0
mkdir -p "$dir"
if [ -n "${FG_FFTW_SOURCE:-}" ]; then
  [ -f "$FG_FFTW_SOURCE/tests/check.pl" ] || skip "FG_FFTW_SOURCE=$FG_FFTW_SOURCE holds no FFTW"
  ln -sfn "$(cd "$FG_FFTW_SOURCE" && pwd)" "$dir/source"
  exit 0
fi
command -v apt-get >/dev/null || skip 'no apt-get on this system'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/download"

# deb-src lines for the archives that the packages themselves come from, else for the distribution's own.
keyring=
for file in /usr/share/keyrings/{debian,ubuntu}-archive-keyring.{pgp,gpg}; do
  [ -n "$keyring" ] || [ ! -f "$file" ] || keyring="[signed-by=$file] "
done
# shellcheck disable=SC2016 # the dollars are apt's
apt-get indextargets 'Created-By: Packages' --format '$(ORIGIN) deb-src KEYRING$(REPO_URI) $(RELEASE) $(COMPONENT)' \
  2>/dev/null | sed -n -e 's/^\(Debian\|Ubuntu\) //p' | grep -E ' (main|universe)$' | sort -u \
  >"$work/sources.list" || true
if [ ! -s "$work/sources.list" ]; then
  # shellcheck source=/dev/null
  . /etc/os-release
  case "${ID:-}" in
    debian) uri=http://deb.debian.org/debian ;;
    ubuntu) uri=http://archive.ubuntu.com/ubuntu ;;
    *) skip "neither Debian nor Ubuntu (${ID:-unknown})" ;;
  esac
  echo "deb-src KEYRING$uri ${VERSION_CODENAME:?} main" >"$work/sources.list"
fi
sed -i "s|KEYRING|$keyring|" "$work/sources.list"

options=(-qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$work/lists"
  -o "Dir::Cache=$work" -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::http::Timeout=20)
apt-get "${options[@]}" update >"$work/log" 2>&1 || true
(cd "$work/download" && apt-get "${options[@]}" source --download-only fftw3) >>"$work/log" 2>&1 || {
  cat "$work/log" >&2
  skip 'the source package fftw3 could not be downloaded'
}
mkdir "$work/tree"
tar -xf "$work"/download/fftw3_*.orig.tar.* -C "$work/tree" --strip-components=1
[ -f "$work/tree/tests/check.pl" ] || skip 'the source package has no tests/check.pl'
rm -rf "$dir/source"
mv "$work/tree" "$dir/source"
