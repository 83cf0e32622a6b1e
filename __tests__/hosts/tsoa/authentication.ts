// The authentication that tsoa asks for `@Security('token')`.
import type { Request } from 'express'
import { authenticate } from '../shop'

export async function expressAuthentication(req: Request): Promise<void> {
  authenticate(req.get('Authorization'))
}
