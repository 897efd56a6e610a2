# What zsh offers for command lines, as test_man.py asks: for each line of the file WORDS, a line
# "== " with it, then the matches, go to the file RESULT.  SCRIPT is the completion script.
#
# Completion needs an interactive shell, so this runs one in a pseudo-terminal and has it source this
# file again.  Its Tab key completes all lines at once, because zsh skips a completion while there is
# more input to read.
if [[ ! -o interactive ]]; then
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "source ${(q)0}"
    zpty -w -n shell $'\t'
    while zpty -r shell output; do
        :
    done
    return
fi

autoload -Uz compinit
compinit -u -D
source $SCRIPT

# Record the matches; calls with -A, -D or -O fill arrays only.
compadd()
{
    local -a found

    if [[ "$*" != *-[ADO]\ * ]]; then
        builtin compadd -O found "$@"
        print -rl -- $found >>$RESULT
    fi
    builtin compadd "$@"
}

complete-all()
{
    for line in "${(@f)$(<$WORDS)}"; do
        print -r -- "== $line" >>$RESULT
        BUFFER=$line
        CURSOR=$#BUFFER
        zle list-choices
    done
    exit
}
zle -N complete-all
bindkey '^I' complete-all
