// The changes of the shop, version by version. Only this file knows the bodies of older versions.
import { change, fields, shape, versionHistory } from 'express-versioning/changes'
import { z } from 'zod'
import { type Customer, Money, Product, type Tier } from './shapes'

export interface Failure {
  error: { code: string; message: string }
}

// 2023-09-01
const TitledProduct = z.object({ title: z.string(), id: z.int(), price: Money })

const renamed = change('Products have `name` instead of `title`, and lists take `limit` instead of `max`.', {
  Product: shape(TitledProduct, {
    response: ({ name, ...product }: Product) => ({ title: name, ...product }),
  }),
  'GET product-list': {
    query: ({ max, ...query }: { max?: string }) => (max === undefined ? query : { ...query, limit: max }),
    older: { query: z.object({ max: z.string().optional() }) },
  },
})

// 2024-03-01
const splitPrice = change('A price is an `amount` and a `currency` instead of one text.', {
  Money: shape(z.string(), {
    response: ({ amount, currency }: Money) => `${amount.toFixed(2)} ${currency}`,
  }),
})

// 2024-10-01
const fullName = ({ given, family }: Customer) => `${given} ${family}`

const splitName = change('Customers have `given` and `family` instead of `name`.', {
  Customer: fields({
    removed: { name: { schema: z.string(), value: fullName } },
    added: ['given', 'family'],
  }),
})

const noBestsellers = change('The list of bestsellers is gone.', { 'GET bestseller-list': 'removed' })

const errorCodes = change('An error is an object with a `code` for programs and a `message`.', {
  '*': { error: ({ error }: Failure) => ({ error: error.message }) },
})

// 2025-06-01
const shipping = fields({ added: { shipping: 'standard' } })

const chosenShipping = change('An order needs `shipping`, and gets 201 instead of 200.', {
  NewOrder: shipping,
  Order: shipping,
  'POST order-list': { status: { 201: 200 } },
})

// 2026-03-01
const platinum = change('Customers may be `platinum`. In older versions they are `gold`.', {
  Tier: shape(z.enum(['basic', 'gold']), { response: (tier: Tier) => (tier === 'platinum' ? 'gold' : tier) }),
})

const countedLists = change('Lists are objects: the items are in `data`, and `total` counts all that there are.', {
  'GET product-list': {
    response: ({ data }: { data: Product[] }) => data,
    older: { response: z.array(Product) },
  },
})

export const history = versionHistory('2023-01-01')
  .version('2023-09-01', renamed)
  .version('2024-03-01', splitPrice)
  .version('2024-10-01', splitName, noBestsellers, errorCodes)
  .version('2025-06-01', chosenShipping)
  .version('2026-03-01', platinum, countedLists)
