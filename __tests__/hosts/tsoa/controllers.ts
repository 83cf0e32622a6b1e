// Users in tsoa, which makes a document of these types.
import { convertRequest } from 'express-versioning/changes'
import { Body, Controller, Get, Middlewares, Patch, Path, Post, Route, SuccessResponse } from 'tsoa'
import { type NewUser, Shop, type User } from '../shop'

export interface UserPatch {
  given?: string
  family?: string
  email?: string
}

const shop = new Shop()

@Route('users')
@Middlewares(convertRequest)
export class UsersController extends Controller {
  @Post()
  @SuccessResponse(201)
  public create(@Body() body: NewUser): User {
    return shop.addUser(body)
  }

  @Get('{id}')
  public show(@Path() id: string): User {
    return shop.user(id)
  }

  @Patch('{id}')
  public change(@Path() id: string, @Body() body: UserPatch): User {
    return shop.changeUser(id, body)
  }
}
