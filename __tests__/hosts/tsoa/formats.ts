// The shop's formats, which tsoa reads from their types.
export interface NewUser {
  given: string
  family: string
  email: string
}

export interface UserPatch {
  given?: string
  family?: string
  email?: string
}

export interface User extends NewUser {
  /** @isInt */
  id: number
  role: 'admin' | 'customer'
}

export interface UserList {
  data: User[]
  /** @isInt */
  total: number
}

export interface Item {
  sku: string
  /** @isInt */
  quantity: number
  /** @isInt */
  price: number
}

export interface Total {
  /** @isInt */
  amount: number
  currency: string
}

export interface NewOrder {
  customer: NewUser
  items: Item[]
  note?: string
}

export interface Order {
  /** @isInt */
  id: number
  status: 'open' | 'paid' | 'cancelled'
  customer: User
  approvedBy: User | null
  items: Item[]
  total: Total
  note?: string
}

export interface OrderList {
  data: Order[]
  /** @isInt */
  total: number
}

export interface Stats {
  /** @isInt */
  users: number
  /** @isInt */
  orders: number
}
