create table run (id integer primary key);
pragma application_id = 1885816937;
