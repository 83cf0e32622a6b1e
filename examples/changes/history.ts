// The changes of the shop, version by version. Only this file knows the bodies of older versions.
import { change, versionHistory } from 'express-versioning/changes'

export interface Money {
  amount: number
  currency: string
}
export interface Product {
  id: number
  name: string
  price: Money
}
export interface NewOrder {
  product: number
  quantity: number
  shipping: 'standard' | 'express'
}
export interface Order extends Omit<NewOrder, 'product'> {
  id: number
  product: Product
  total: Money
}
export interface Failure {
  error: { code: string; message: string }
}

// Before 2025-06-01
type UnsentOrder = Omit<Order, 'shipping'>
// Before 2024-03-01
type TextPricedProduct = Omit<Product, 'price'> & { price: string }
type TextPricedOrder = Omit<UnsentOrder, 'product' | 'total'> & { product: TextPricedProduct; total: string }
// Before 2023-09-01
type TitledProduct = Omit<TextPricedProduct, 'name'> & { title: string }
type TitledOrder = Omit<TextPricedOrder, 'product'> & { product: TitledProduct }

const toTitled = ({ name, ...product }: TextPricedProduct): TitledProduct => ({ title: name, ...product })
const toTitledOrder = (order: TextPricedOrder): TitledOrder => ({ ...order, product: toTitled(order.product) })

const renamed = change('Products have `name` in place of `title`, and lists take `limit` in place of `max`.', {
  'GET product-list': {
    query: ({ max, ...query }: { max?: string }) => (max === undefined ? query : { ...query, limit: max }),
    response: (products: TextPricedProduct[]) => products.map(toTitled),
  },
  'GET bestseller-list': { response: (products: TextPricedProduct[]) => products.map(toTitled) },
  'GET product-detail': { response: toTitled },
  'GET order-detail': { response: toTitledOrder },
  'POST order-list': { response: toTitledOrder },
})

const toText = ({ amount, currency }: Money): string => `${amount.toFixed(2)} ${currency}`
const toTextPriced = ({ price, ...product }: Product): TextPricedProduct => ({ ...product, price: toText(price) })
const toTextPricedOrder = (order: UnsentOrder): TextPricedOrder => ({
  ...order,
  product: toTextPriced(order.product),
  total: toText(order.total),
})

const splitPrice = change('A price is an `amount` and a `currency` in place of one text.', {
  'GET product-list': { response: (products: Product[]) => products.map(toTextPriced) },
  'GET bestseller-list': { response: (products: Product[]) => products.map(toTextPriced) },
  'GET product-detail': { response: toTextPriced },
  'GET order-detail': { response: toTextPricedOrder },
  'POST order-list': { response: toTextPricedOrder },
})

const noBestsellers = change('The list of bestsellers is gone.', { 'GET bestseller-list': 'removed' })

const errorCodes = change('An error is an object with a `code` for programs and a `message`.', {
  '*': { error: ({ error }: Failure) => ({ error: error.message }) },
})

const toUnsent = ({ shipping: _, ...order }: Order): UnsentOrder => order

// The handler asks for this change, because steps do not convert the status.
export const chosenShipping = change('An order needs `shipping`, and is answered with 201 in place of 200.', {
  'POST order-list': {
    request: (order: Omit<NewOrder, 'shipping'>): NewOrder => ({ ...order, shipping: 'standard' }),
    response: toUnsent,
  },
  'GET order-detail': { response: toUnsent },
})

export const history = versionHistory('2023-01-01')
  .version('2023-09-01', renamed)
  .version('2024-03-01', splitPrice)
  .version('2024-10-01', noBestsellers, errorCodes)
  .version('2025-06-01', chosenShipping)
