#!/bin/sh
# A reader under libFuzzer (docs/fuzzing.md): run.sh READER INPUTS [OPTION OF LIBFUZZER]...
#
# By the clock an input of milliseconds may take more than the limit on a machine with other work. Such an input is
# run once more by itself, with the same limit in processor time, and only if that is used up too it has failed; else
# the reader goes on with the inputs that are left. What a reader fails on is left in the folder of the programs.
set -u
reader=$1 left=$2
shift 2
limit=${FUZZ_SECONDS:-10}
folder=build-test/fuzz
program=$folder/fuzz_$reader log=$folder/$reader.log found=$folder/found/$reader
memory="-malloc_limit_mb=64 -rss_limit_mb=0"
timed_out=70  # libFuzzer's exit status

# Processor time stands still while it waits for something that never comes: the clock ends that, later.
is_quick() {
  (ulimit -c 0; ulimit -t "$limit"; exec "$program" $memory -timeout=$((10 * limit)) "$1") >>"$log" 2>&1
}

mkdir -p "$found"
made=0
while :; do
  nice -n 10 "$program" "$@" -runs="$left" -timeout="$limit" $memory -max_len=16384 \
    -print_final_stats=1 -artifact_prefix="$folder/$reader-" "$found" "tests/fuzz/corpus/$reader" >"$log" 2>&1
  status=$?
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  made=$((made + ${inputs:-0})) left=$((left - ${inputs:-0}))
  [ "$status" -eq 0 ] && break
  input=$(sed -n 's/.*Test unit written to //p' "$log")
  if [ "$status" -ne "$timed_out" ] || ! is_quick "$input"; then
    tail -n 40 "$log"
    exit 1
  fi
  echo "$reader: an input took $limit s, but not by itself: the machine was busy"
  rm -f "$input"
  [ "$left" -gt 0 ] || break
done
echo "$reader: $made inputs"
