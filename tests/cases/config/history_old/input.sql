create table run (id integer primary key, time integer, branch text, commit_id text, snapshot text);
pragma application_id = 1885816937;
pragma user_version = 1;
