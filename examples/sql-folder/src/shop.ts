import { DatabaseSync } from "node:sqlite";

/** A small shop in a SQLite file, for the queries in `sql/`. */
export function makeShop(path: string): DatabaseSync {
  const shop = new DatabaseSync(path);
  shop.exec(`
    create table orders (
      id integer primary key,
      customer text not null,
      item text not null,
      quantity integer not null check (quantity > 0),
      placed text not null default current_timestamp
    );
    insert into orders (customer, item, quantity) values ('Ada', 'tea', 2), ('Bo', 'jam', 1);
  `);
  return shop;
}
