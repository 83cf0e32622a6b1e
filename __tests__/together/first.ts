import { togetherIn } from './together'

togetherIn('first.ts')
