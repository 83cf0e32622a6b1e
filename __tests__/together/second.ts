import { togetherIn } from './together'

togetherIn('second.ts')
