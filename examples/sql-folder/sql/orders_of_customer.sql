-- description: The orders of a customer, newest first.
-- parameter customer: text, the customer's name
-- parameter most: integer?, how many at most; all when it is left out
-- read-only: yes
select id, item, quantity, placed
from orders
where customer = :customer
order by placed desc
limit coalesce(:most, -1);
