// The shop's formats, as Nest documents and validates them.
import { ApiProperty, PartialType } from '@nestjs/swagger'
import { Type } from 'class-transformer'
import {
  ArrayNotEmpty,
  Contains,
  IsArray,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateNested,
} from 'class-validator'

export class NewUser {
  @ApiProperty({ minLength: 1 }) @IsString() @IsNotEmpty() given: string
  @ApiProperty() @IsString() family: string
  @ApiProperty({ pattern: '@' }) @IsString() @Contains('@') email: string
}

export class UserPatch extends PartialType(NewUser) {}

export class User extends NewUser {
  @ApiProperty({ type: 'integer' }) id: number
  @ApiProperty({ enum: ['admin', 'customer'] }) role: 'admin' | 'customer'
}

export class UserList {
  @ApiProperty({ type: [User] }) data: User[]
  @ApiProperty({ type: 'integer' }) total: number
}

export class UserQuery {
  @ApiProperty({ required: false, enum: ['admin', 'customer'] })
  @IsOptional()
  @IsIn(['admin', 'customer'])
  role?: string

  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: 100 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit?: number
}

export class Item {
  @ApiProperty({ minLength: 1 }) @IsString() @IsNotEmpty() sku: string
  @ApiProperty({ type: 'integer', minimum: 1 }) @IsInt() @Min(1) quantity: number
  @ApiProperty({ type: 'integer', minimum: 0 }) @IsInt() @Min(0) price: number
}

export class Total {
  @ApiProperty({ type: 'integer' }) amount: number
  @ApiProperty() currency: string
}

export class NewOrder {
  @ApiProperty() @ValidateNested() @Type(() => NewUser) @IsNotEmpty() customer: NewUser

  @ApiProperty({ type: [Item], minItems: 1 })
  @IsArray()
  @ArrayNotEmpty()
  @ValidateNested({ each: true })
  @Type(() => Item)
  items: Item[]

  @ApiProperty({ required: false }) @IsOptional() @IsString() note?: string
}

export class Order {
  @ApiProperty({ type: 'integer' }) id: number
  @ApiProperty({ enum: ['open', 'paid', 'cancelled'] }) status: string
  @ApiProperty() customer: User
  @ApiProperty({ type: User, nullable: true }) approvedBy: User | null
  @ApiProperty({ type: [Item], minItems: 1 }) items: Item[]
  @ApiProperty() total: Total
  @ApiProperty({ required: false }) note?: string
}

export class OrderList {
  @ApiProperty({ type: [Order] }) data: Order[]
  @ApiProperty({ type: 'integer' }) total: number
}

export class Stats {
  @ApiProperty({ type: 'integer' }) users: number
  @ApiProperty({ type: 'integer' }) orders: number
}
