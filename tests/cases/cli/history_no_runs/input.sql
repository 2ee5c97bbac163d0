-- A history as `history add` makes it, before its first run.
create table run (id integer primary key autoincrement, time integer not null, branch text not null,
  commit_id text not null, snapshot text not null, model text not null default '',
  verdict text not null default '', parents text not null default '',
  commit_time integer not null default 0, policy text not null default '',
  median real not null default 0, kind text not null default '');
create index run_by_branch on run (branch, id);
create table level (id integer primary key autoincrement, run integer not null,
  reason text not null, owner text not null, until text not null, time integer not null,
  by text not null, change real, up_to real);
pragma application_id = 1885816937;
pragma user_version = 3;
