-- description: Items with the pieces that were sold of them, best first.
-- read-only: yes
select item, sum(quantity) as pieces
from orders
group by item
order by pieces desc, item;
