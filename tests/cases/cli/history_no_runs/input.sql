-- A history as `history add` makes it, before its first run.
create table run (id integer primary key autoincrement, time integer not null, branch text not null,
  commit_id text not null, snapshot text not null);
create index run_by_branch on run (branch, id);
pragma application_id = 1885816937;
pragma user_version = 1;
