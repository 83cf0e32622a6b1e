// The shapes of today. The names in `.meta()` are those by which changes speak of them.
import { z } from 'zod'

export const Money = z.object({ amount: z.number(), currency: z.string() }).meta({ id: 'Money' })

export const Product = z.object({ id: z.int(), name: z.string(), price: Money }).meta({ id: 'Product' })

export const Tier = z.enum(['basic', 'gold', 'platinum']).meta({ id: 'Tier' })

export const Customer = z
  .object({ id: z.int(), given: z.string(), family: z.string(), tier: Tier })
  .meta({ id: 'Customer' })

const Shipping = z.enum(['standard', 'express'])

export const NewOrder = z
  .object({ product: z.int(), quantity: z.int().positive(), shipping: Shipping, customer: z.int().optional() })
  .meta({ id: 'NewOrder' })

// A guest's order has no customer.
export const Order = z
  .object({
    id: z.int(),
    product: Product,
    quantity: z.int(),
    shipping: Shipping,
    total: Money,
    customer: Customer.optional(),
  })
  .meta({ id: 'Order' })

export type Money = z.output<typeof Money>
export type Product = z.output<typeof Product>
export type Tier = z.output<typeof Tier>
export type Customer = z.output<typeof Customer>
export type NewOrder = z.output<typeof NewOrder>
export type Order = z.output<typeof Order>
