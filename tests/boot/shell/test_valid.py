"""What bash takes is read as a whole; what it refuses is not."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.boot.shell.reading import is_broken, raws

VALID = r"""
a && b || c > f
---
! a | b
---
! { a; } && b
---
time { a; b; }
---
time -p a | b
---
if a; then (b; c) else d; fi
---
if a; then if b; then c; fi fi
---
while a; do { b; } done
---
{ { a; } }
---
if (a) then b; fi
---
if a
then b
elif c; then d
else
e; fi > f 2>&1
---
for i in 1 2 {a,b} *.x "$@"; do x; done
---
for i; do x; done
---
for i do x; done
---
for i in; do x; done
---
for ((i=0; i<5; i++)); do x; done
---
for ((;;)) { x; }
---
select x in a b; do break; done
---
until a; do b; done < f | c
---
function f (
  a
)
---
function f ( a ) > g
---
function f () ( a )
---
case "$x" in a|b*) c;; (d) e ;& "f g") ;; *) h; esac
---
case $x in esac
---
case x in if) c ;; done) ;; esac
---
x=$(case a in a) b;; (c) d;; esac)
---
echo "$(case a in a) b;; esac)" x
---
f() { a; }; function g { b; }; function h() ( c )
---
f() if a; then b; fi
---
f () {
a; } > f 2>&1
---
my-func() { a; }; a::b() { c; }
---
( a; b ) | c &
---
a & b && c &
---
[[ -f x && $a == b* || ! -d "y" ]]
---
[[ $x =~ ^a(b|c)[[:digit:]]+$ ]] && y
---
[[ $x =~ "q" && -z $y ]]
---
[[ ( a == b ) && c ]]
---
[[ a < b && c > d ]]
---
[ "$a" = b -a -f c ] || [ ! -f d ]
---
test -f x -o \( -d y -a z \)
---
(( i++ )) || (( x > 1 ? 2 : (3 << 4) ))
---
((a) || b)
---
$((a) || b)
---
x=$((1 + (2 * 3))) y=$( (a) ) z=$((a); (b))
---
export A=1 B C="x y" D=(a b); local x; declare -A m=([a]=1 [b]="2" # c
[c]=3)
---
arr=(a "b c" $d
e) arr+=(x) arr[1]=y arr[$i]+=z
---
A=1 B="x" cmd C=2
---
A=1 B=
---
> f
---
> f cmd a
---
a > f b 2>&1 c
---
a >& f; a &>> f; a >| f; a <> f; a 2>&- ; a <&3; a {fd}> f; a &> f
---
exec > >(tee -a /var/log/x) 2>&1
---
diff <(a; b) <(c | d)
---
while read -r l; do echo $l; done < <(ls)
---
echo ${#x} ${!y} ${x[@]} ${x%%.*} ${x/a/b} ${x//a/"$b"} ${x^^} ${x:1:2} ${x:?err $y} ${10} ${x,,} ${x@Q} ${#} ${!p*}
---
echo "${a:-"b c"}" "${x%'}'}" ${y:-'}'} "${z:-a\}b}" ${w:-{a\}} "${v//\"/\\\"}"
---
echo "a `b "c d"` e" `f \`g\``
---
echo $'a\'b' $"c" "d'e" 'f"g' h\'i "j\"k" l#m $# # n ' o
---
echo {} \; {a,b} } { a} {a ! if then done in
---
find . -name '*.x' -exec rm {} \; -o ! -name y
---
echo a\
b c \
  d
---
a |
b &&

c ||
d
---
a |& b
---
echo @(a|b) +(c) *.!(x) ?(y|z)
---
coproc a
---
echo $[1+2] $$ $! $- $_ $1a
---
trap 'a "b"; c' EXIT; eval "$x"
---
if [ -f a ]; then :; else :
fi
---
while :; do case $1 in -a) shift;; --) break;; *) echo "?"; esac; done
---
if ! command -v a &>/dev/null; then b; fi
---
a=$(b "$(c "${d:-$(e 'f)')}")")
---
cat <<< "a" | b; c <<<$x
---
x=a{b,c}d; y=~/x; z=[a-z]*
""".strip("\n").split("\n---\n")

INVALID = r"""
if a; then b
---
a; fi
---
a; done; b
---
echo "a
---
echo 'a
---
a ) b
---
( a
---
{ a
---
a | | b
---
a && && b
---
for i in a; do b; fi
---
for 1x in
---
case x in a) b
---
a > ; b
---
while a; do b
---
$(a
---
echo `a
---
if; then a; fi
---
if a; then fi
---
f() {
---
[[ a
---
(( a
---
a=(b
---
;; a
---
{ }
---
a &&
""".strip("\n").split("\n---\n")


@pytest.mark.parametrize("script", VALID)
def test_what_bash_takes_is_read(script: str) -> None:
    if shutil.which("bash") and "@(a|b)" not in script:
        assert subprocess.run(["bash", "-n", "-c", script], capture_output=True, check=False).returncode == 0
    assert not is_broken(script)


@pytest.mark.parametrize("script", INVALID)
def test_what_bash_refuses_is_broken(script: str) -> None:
    if shutil.which("bash"):
        assert subprocess.run(["bash", "-n", "-c", script], capture_output=True, check=False).returncode != 0
    assert is_broken(script)


@pytest.mark.parametrize("script", INVALID)
def test_what_stands_before_and_behind_is_read_all_the_same(script: str) -> None:
    read = raws(f"before 1\n{script}\nbehind 2\n")
    assert "before 1" in read
    assert "behind 2" in read
