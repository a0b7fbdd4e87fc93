create table if not exists orders (id int primary key, article varchar(40) not null);
delete from orders;
