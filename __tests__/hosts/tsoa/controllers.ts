// The shop's operations in tsoa.
import type express from 'express'
import {
  Body,
  Controller,
  Delete,
  Get,
  Middlewares,
  Patch,
  Path,
  Post,
  Produces,
  Query,
  Request,
  Route,
  Security,
  SuccessResponse,
} from 'tsoa'
import { Shop } from '../shop'
import type { NewOrder, NewUser, Order, OrderList, Stats, User, UserList, UserPatch } from './formats'
import { behindAuthentication } from './versions'

const shop = new Shop()

@Route('users')
@Security('token')
@Middlewares(behindAuthentication)
export class UsersController extends Controller {
  @Get()
  public list(@Query() role?: 'admin' | 'customer', @Query() limit?: string): UserList {
    return shop.users({ role, limit })
  }

  @Post()
  @SuccessResponse(201)
  public create(@Body() body: NewUser): User {
    const user = shop.addUser(body)
    this.setHeader('Location', `/api/users/${user.id}`)
    return user
  }

  @Get('{id}')
  public show(@Path() id: string): User {
    return shop.user(id)
  }

  @Patch('{id}')
  public change(@Path() id: string, @Body() body: UserPatch): User {
    return shop.changeUser(id, body)
  }

  @Delete('{id}')
  public remove(@Path() id: string): void {
    shop.deleteUser(id)
  }

  @Get('{id}/orders')
  public orders(@Path() id: string): OrderList {
    return shop.ordersOf(id)
  }
}

@Route('orders')
@Security('token')
@Middlewares(behindAuthentication)
export class OrdersController extends Controller {
  @Get()
  public list(@Query() status?: 'open' | 'paid' | 'cancelled'): OrderList {
    return shop.orders({ status })
  }

  @Post()
  @SuccessResponse(201)
  public create(@Body() body: NewOrder): Order {
    const order = shop.addOrder(body)
    this.setHeader('Location', `/api/orders/${order.id}`)
    return order
  }

  @Get('{id}')
  public show(@Path() id: string): Order {
    return shop.order(id)
  }

  @Post('{id}/cancellation')
  @SuccessResponse(202)
  public cancel(@Path() id: string): Order {
    this.setStatus(202)
    return shop.cancelOrder(id)
  }

  @Get('{id}/receipt')
  @Produces('text/plain')
  public receipt(@Path() id: string, @Request() req: express.Request): string {
    const text = shop.receipt(id)
    req.res?.type('text').send(text)
    return text
  }
}

@Route('stats')
@Security('token')
@Middlewares(behindAuthentication)
export class StatsController extends Controller {
  @Get()
  public show(): Stats {
    return shop.stats()
  }
}
