#!/bin/sh
# Becomes the first process of a machine, in namespaces that `unshare` made; everything on the machine ends with it.
# usage: boot-machine.sh FOLDER INIT    FOLDER has `disk`, which outlives a power-off; INIT is a program that only reaps.
set -eu
mount -t tmpfs -o mode=755 tmpfs /run
mount --bind "$1/disk/lib" /var/lib
mount --bind "$1/disk/log" /var/log
# The kubelet sets these, and they are the whole kernel's: it gets copies to write to.
mkdir /run/kernel
for name in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  copy="/run/kernel/${name##*/}"
  cat "/proc/sys/$name" > "$copy"
  mount --bind "$copy" "/proc/sys/$name"
done
# Settings of CRIU that runc reads at a fixed place: a dump takes connections along.
mkdir -p "$1/etc/criu" "$1/etc-work"
echo tcp-established > "$1/etc/criu/runc.conf"
mount -t overlay -o "lowerdir=/etc,upperdir=$1/etc,workdir=$1/etc-work" overlay /etc
mount --make-rshared /
ip link set lo up
: > "$1/booted"
exec "$2"
