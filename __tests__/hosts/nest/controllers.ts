// The shop's operations in Nest.
import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
  Res,
  UseGuards,
} from '@nestjs/common'
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiExcludeController,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiProduces,
} from '@nestjs/swagger'
import type { Response } from 'express'
import { Shop } from '../shop'
import { NewOrder, NewUser, Order, OrderList, Stats, User, UserList, UserPatch, UserQuery } from './dto'
import { TokenGuard } from './parts'

@UseGuards(TokenGuard)
@Controller('users')
export class UsersController {
  constructor(private readonly shop: Shop) {}

  @Get() @ApiOkResponse({ type: UserList }) list(@Query() query: UserQuery) {
    return this.shop.users({ role: query.role, limit: query.limit?.toString() })
  }

  @Post() @ApiCreatedResponse({ type: User }) create(@Body() body: NewUser, @Res({ passthrough: true }) res: Response) {
    const user = this.shop.addUser(body)
    res.location(`/api/users/${user.id}`)
    return user
  }

  @Get(':id') @ApiOkResponse({ type: User }) show(@Param('id') id: string) {
    return this.shop.user(id)
  }

  @Patch(':id') @ApiOkResponse({ type: User }) change(@Param('id') id: string, @Body() body: UserPatch) {
    return this.shop.changeUser(id, body)
  }

  @Delete(':id') @HttpCode(204) @ApiNoContentResponse() remove(@Param('id') id: string) {
    this.shop.deleteUser(id)
  }
}

@UseGuards(TokenGuard)
@Controller('orders')
export class OrdersController {
  constructor(private readonly shop: Shop) {}

  @Get() @ApiOkResponse({ type: OrderList }) list() {
    return this.shop.orders()
  }

  @Post() @ApiCreatedResponse({ type: Order }) create(
    @Body() body: NewOrder,
    @Res({ passthrough: true }) res: Response,
  ) {
    const order = this.shop.addOrder(body)
    res.location(`/api/orders/${order.id}`)
    return order
  }

  @Get(':id') @ApiOkResponse({ type: Order }) show(@Param('id') id: string) {
    return this.shop.order(id)
  }

  @Post(':id/cancellation') @HttpCode(202) @ApiAcceptedResponse({ type: Order }) cancel(@Param('id') id: string) {
    return this.shop.cancelOrder(id)
  }

  @Get(':id/receipt')
  @Header('Content-Type', 'text/plain; charset=utf-8')
  @ApiProduces('text/plain')
  @ApiOkResponse({ type: String })
  receipt(@Param('id') id: string) {
    return this.shop.receipt(id)
  }
}

@UseGuards(TokenGuard)
@Controller('stats')
export class StatsController {
  constructor(private readonly shop: Shop) {}

  @Get() @ApiOkResponse({ type: Stats }) show() {
    return this.shop.stats()
  }
}

@ApiExcludeController()
@Controller('health')
export class HealthController {
  @Get() show() {
    return { ok: true }
  }
}
