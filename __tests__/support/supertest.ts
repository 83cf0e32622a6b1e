import type { Application } from 'express'

interface Answer {
  readonly status: number
  readonly body: unknown
}

interface Asked extends Promise<Answer> {
  set(headers: Readonly<Record<string, string>>): Asked
}

/** supertest, which has no types of its own: as much of it as tests use. */
export const request = require('supertest') as (app: Application) => { get(path: string): Asked }
