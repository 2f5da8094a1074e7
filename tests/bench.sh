#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# attest bench and attest gradcheck: forms, exit statuses, usage mistakes.
set -u
: "${ATTEST:=./attest}"
failed=0

check()
{
    if [ "$1" -ne 0 ]; then
        echo "FAIL: $2"
        failed=1
    else
        echo "ok: $2"
    fi
}

small="--d 16 --heads 2 --ffn 32 --layers 1 --batch 2 -n 16 --vocab 20 --threads 1"
out=$("$ATTEST" bench --only training $small --json)
check $? "bench ends with status 0"
for key in machine cpu cores kernels blas_kernel sgemm_gflops training d heads ffn layers n batch vocab encoding \
           threads tokens_per_s gflops sgemm_share peak_rss_mb energy exact; do
    case $out in
        *"\"$key\""*) ;;
        *) check 1 "bench --json has $key" ;;
    esac
done
"$ATTEST" bench --only training $small --encoding rope --precision double | grep -q "rope .* tokens/s"
check $? "bench of another encoding in double"
"$ATTEST" bench --only exact --threads 1 | grep -q "exact .* denominator 12"
check $? "bench of exact attention"
text=$("$ATTEST" bench --only lunch --d 10 --heads 3 --encoding rop 2>&1)
[ $? -eq 2 ]
check $? "wrong usage is status 2"
case $text in
    *lunch*) ;;
    *) check 1 "the mistake is named" ;;
esac
case $text in
    *"no multiple"*) ;;
    *) check 1 "all mistakes are named" ;;
esac

"$ATTEST" gradcheck --entries 1 --seed 3 | grep -q " checks, 0 failed"
check $? "gradcheck passes"
out=$("$ATTEST" gradcheck --entries 1 --json)
check $? "gradcheck --json ends with status 0"
case $out in
    *'"pass": true'*) ;;
    *) check 1 "gradcheck --json says that it passes" ;;
esac
exit $failed
