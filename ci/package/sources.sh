# debian_list TYPE FILE: the machine's list of Debian's archives, only for TYPE (deb or deb-src), for
# apt-get to be given; the machine's own stays as it is. To be sourced.
debian_list() {
  if [ -s /etc/apt/sources.list.d/debian.sources ]; then
    sed "s/^Types: .*/Types: $1/" /etc/apt/sources.list.d/debian.sources > "$2.sources"
    echo "$2.sources"
  else
    sed -n "s/^deb \(.*debian\.org.*\)/$1 \1/p" /etc/apt/sources.list > "$2.list"
    echo "$2.list"
  fi
}
