import { createApp } from './main.js'

const app = await createApp()
await app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
console.log(`curl ${await app.getUrl()}/users`)
