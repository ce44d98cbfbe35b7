#!/bin/sh
touch README.md
