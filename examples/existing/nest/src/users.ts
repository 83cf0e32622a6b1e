// The API as it is today: it knows one format.
import { Body, Controller, Get, Module, NotFoundException, Param, ParseIntPipe, Post } from '@nestjs/common'
import { ApiCreatedResponse, ApiOkResponse, ApiProperty } from '@nestjs/swagger'
import { IsString } from 'class-validator'

export class NewUser {
  @ApiProperty() @IsString() given: string
  @ApiProperty() @IsString() family: string
}

export class User extends NewUser {
  @ApiProperty() id: number
}

@Controller('users')
export class UsersController {
  readonly #users: User[] = [{ id: 1, given: 'Ada', family: 'Lovelace' }]

  @Get() @ApiOkResponse({ type: [User] }) list(): User[] {
    return this.#users
  }

  @Get(':id') @ApiOkResponse({ type: User }) show(@Param('id', ParseIntPipe) id: number): User {
    const user = this.#users.find((one) => one.id === id)
    if (user === undefined) throw new NotFoundException()
    return user
  }

  @Post() @ApiCreatedResponse({ type: User }) create(@Body() { given, family }: NewUser): User {
    const user = { id: this.#users.length + 1, given, family }
    this.#users.push(user)
    return user
  }
}

@Module({ controllers: [UsersController] })
export class UsersModule {}
