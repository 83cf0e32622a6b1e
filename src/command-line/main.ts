#!/usr/bin/env node
// The program itself.
import { run } from './run'

run(process)
