#!/bin/sh
# Makes a base image with debootstrap, for machines on which no registry answers.
#
#   make_base.sh [TAG]       needs root, debootstrap and docker
#
# SUITE and MIRROR choose another Debian than debootstrap's own default.
set -eu

tag=${1:-sandbox-base:bookworm}
suite=${SUITE:-bookworm}
packages=python3,python3-venv,ca-certificates,libstdc++6

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

debootstrap --variant=minbase --include="$packages" "$suite" "$work/root" ${MIRROR:+"$MIRROR"} >&2
# Layers never shrink, so what is not wanted goes before the import.
rm -rf "$work"/root/var/cache/apt/* "$work"/root/var/lib/apt/lists/* \
    "$work"/root/usr/share/doc/* "$work"/root/usr/share/man/* "$work"/root/usr/share/locale/*
tar -C "$work/root" -c . | docker import -c 'CMD ["python3"]' - "$tag"
