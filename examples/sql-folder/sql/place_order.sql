-- description: Place an order for a customer.
-- parameter customer: text, the customer's name
-- parameter item: text, what is ordered
-- parameter quantity: integer, how many pieces, 1 at least
insert into orders (customer, item, quantity) values (:customer, :item, :quantity)
returning id;
