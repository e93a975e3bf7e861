# shellcheck shell=bash disable=SC2154,SC2034 # read by run
# parts.sh: what there is to run, read by run: for each part cases_PART, which names its cases, a line each, and
# case_PART, which runs one: 0 passed, 77 skipped, 75 its time was up before all was done and it can go on, else failed.
# FG_RUN_SECONDS: how long the whole part may take.

# The bundle is laid out like a build folder.
export FG_SOURCE=$top FG_BUILD=$bundle FG_LIBRARY=$bundle/.libs/libfftw3_gpu.so FG_PROGRAM=$bundle/fftw3-gpu
export FG_FFTW_DIR=$bundle/fftw-tests
export CK_DEFAULT_TIMEOUT=${CK_DEFAULT_TIMEOUT-60}
export LC_ALL=C # no decimal comma
export FG_RUN_BACKEND=${FFTW3_GPU_BACKEND:-${FG_RUN_BACKEND:-cuda}} # another one only to test these scripts
backend=$FG_RUN_BACKEND
unset FFTW3_GPU_BACKEND
[ -n "$vkfft" ] || [ ! -e "$bundle/lib/libvkfft.so" ] || vkfft=$bundle/lib/libvkfft.so
# Shared libraries that this system has not come from the bundle.
mkdir -p "$out/lib"
for library in "$bundle"/lib/*; do
  [ -e "$library" ] || continue
  ldconfig -p | grep -qF "$(basename "$library") " || ln -sf "$library" "$out/lib/"
done
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$out/lib

# seconds_of PERCENT MOST: of the part's time, as a whole number.
seconds_of() {
  local now=$((${FG_RUN_SECONDS:-1000000} * $1 / 100))
  [ "$now" -lt "$2" ] && echo "$now" || echo "$2"
}

programs_in() { find "$1" -maxdepth 1 -type f -perm -u+x ! -name '*.*' -printf '%f\n' | sort; }

cases_unit() { programs_in "$bundle/tests/unit"; }
case_unit() { "$bundle/tests/unit/$1"; }

# Each program of tests/programs prints the same with and without the library.
cases_programs() {
  find "$bundle/tests/programs" -maxdepth 1 -type f -perm -u+x -printf '%f\n' | sort
}
case_programs() {
  [[ $1 != local_mpi* ]] || command -v mpirun >/dev/null || { echo "no mpirun"; return 77; }
  "$top/tests/programs/run.sh" "$bundle/tests/programs/$1"
}

# Programs with memory of the device: the example of fftw3_gpu.h, which is right without the library too, and one that
# uses CUDA itself.
cases_resident() { printf '%s\n' alone auto force off; }
case_resident() {
  if [ "$1" = alone ]; then
    "$bundle/examples/resident"
    return
  fi
  export LD_PRELOAD=$FG_LIBRARY FFTW3_GPU=$1 FFTW3_GPU_BACKEND=$backend
  [ "$backend" != cuda ] || "$bundle/tests/gpu/cuda_program" || return 1
  "$bundle/examples/resident" >"$out/example.txt" 2>&1 || return 1
  cat "$out/example.txt"
  [ "$1" = off ] || [ "$(grep -c ': right$' "$out/example.txt")" = 4 ]
}

# fftw_tests CASE COUNT: CASE: the planning mode, and the number of a half of COUNT; the lists come with the first.
fftw_tests() {
  local half=${1#*.}
  FG_LISTS=$((half == 1)) FG_SEED=$((12 + 8 * half)) "$top/tests/fftw/check.sh" "$backend" $((($2 + 1) / 2)) "--${1%.*}"
}

cases_fftw() { printf '%s\n' estimate.1 patient.1 estimate.2 patient.2; }
case_fftw() { fftw_tests "$1" "$count"; }

# The same in double precision; and computed in single, to single precision's tolerance.
cases_double() { printf 'double-%s\n' estimate.1 patient.1 estimate.2 patient.2 && printf 'single-%s\n' estimate.1 patient.1; }
case_double() {
  case $1 in
    double-*) FG_DOUBLE=double fftw_tests "${1#*-}" "$count" ;;
    single-*) FG_DOUBLE=single fftw_tests "${1#*-}" $((count < 600 ? count : 600)) ;;
  esac
}

cases_accuracy() { echo accuracy; }
case_accuracy() { FG_ACCURACY_TABLE=$out/accuracy.tsv "$top/tests/accuracy/check.sh" "$backend" | tail -n 12; }

# Processes that make it hard for a library, and four ranks at once.
cases_surroundings() { echo surroundings; }
case_surroundings() { "$top/tests/soak/surroundings.sh" "$backend"; }

# Random problems, first of moderate size in many threads, then larger ones; then of any lengths, each once, in as many
# processes as there are processors: those that follow from FG_SEED.
cases_soak() { printf '%s\n' many large any any_double; }
case_soak() {
  case $1 in
    many) set -- --seconds="$(seconds_of 25 70)" --problems=150 --elements=65536 --threads=16 --growth=256 ;;
    large) set -- --seconds="$(seconds_of 15 30)" --problems=40 --elements=4194304 --threads=8 --growth=512 --seed=2 ;;
    any) soak_any soak; return ;;
    any_double) soak_any soak_double; return ;;
  esac
  "$top/tests/soak/soak.sh" "$backend" "$@"
}

# soak_any PROGRAM: the last line says how many.
soak_any() {
  local seconds i running=() status=0
  seconds=$(seconds_of 25 120)
  for ((i = 0; i < $(nproc); i++)); do
    FG_SOAK=$1 "$top/tests/soak/soak.sh" "$backend" --any --once --seed=$((${FG_SEED:-1} * 100 + i)) --problems=1000000 \
      --elements=$((i % 4 ? 1048576 : 8388608)) --seconds="$seconds" >"$out/soak-$1-$i.txt" 2>&1 &
    running+=($!)
  done
  for i in "${running[@]}"; do wait "$i" || status=1; done
  grep -hE 'wrong result|fallbacks$|exit status' "$out/soak-$1"-*.txt
  awk '/problems of at most/ { n += $3; right += $13; wrong += $(NF - 1) }
    / executions on / { there += $1; back += $7; host += $(NF - 2) }
    END {
      printf "%d problems, %d executions, %d wrong; ", n, right, wrong
      printf "%d on the device, %d of them answered by real FFTW; %d planned there\n", there, back, host
    }' \
    "$out/soak-$1"-*.txt
  return $status
}

# A short set that touches every kernel: small and large radices, several dimensions, two passes, convolution, split,
# gaps.
cases_sanitizer() { printf '%s\n' memcheck racecheck synccheck initcheck; }
case_sanitizer() {
  command -v compute-sanitizer >/dev/null || { echo "no compute-sanitizer"; return 77; }
  local p status=0 verify=() set=(ofc16*100 icb60*10 ofc1009*3 ofc4096*2 icb48x30x20 ofc262144 ofc17x12*4 //ofc120*5
    ofc12:3:1*4:100:20 icb24x24x24*2 ofc12x20*9 ofc100003 ofc4194304 ofc17*40 icf19*40 ofc23*40 ofc29*40 ofc31*40
    ofc37*40 icb59*20 ofc61*40 ofc67*40 ofc101*24 ofc404*6 ofc6561 ofc15625*3 ofc8192*3
    ofr1000*7 ofr4096x6 orb1009*3 orf262144 okd1000e10*3)
  for p in "${set[@]}"; do verify+=(--verify "$p"); done
  compute-sanitizer --tool "$1" --target-processes all --error-exitcode 9 --log-file "$out/sanitizer-$1.txt" \
    env LD_PRELOAD="$FG_LIBRARY" FFTW3_GPU=force "$FG_FFTW_DIR/bench" -o estimate --verify-rounds=1 "${verify[@]}" ||
    status=1
  tail -n 1 "$out/sanitizer-$1.txt"
  return $status
}

# Each kind of pass on device data against a copy, and programs' data on the host against stock FFTW.
cases_timing() { printf '%s\n' passes host; }
case_timing() { "$FG_PROGRAM" bench --suite="$1" --csv="$out/timing-$1.csv"; }

# Beside cuFFT and VkFFT.
cases_peers() { printf '%s\n' peers real; }
case_peers() { "$FG_PROGRAM" bench --device --suite="$1" ${vkfft:+--vkfft="$vkfft"} --seconds=0.02 --csv="$out/peers-$1.csv"; }

# What tests/bench measures.  They share one calibration of the machine.
bench() {
  FG_TUNE_ONCE=1 "$top/tests/bench/$1.sh" -o "$out" -t "$(seconds_of 95 1000000)" "${@:2}"
}
cases_host() { printf '%s\n' host host_real; }
case_host() { bench host -l "$1"; }
cases_startup() { echo startup; }
case_startup() { bench startup; }
cases_throughput() { echo throughput; }
case_throughput() { bench throughput; }
cases_whole() { echo whole; }
case_whole() { bench whole; }
cases_regret() { echo regret; }
case_regret() { bench regret; }
