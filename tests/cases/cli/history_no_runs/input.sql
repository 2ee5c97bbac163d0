-- A history as `history add` makes it, before its first run.
  create table run (
    id integer primary key,
    time integer not null,
    branch text not null,
    commit_id text not null,
    model text not null,
    verdict text not null,
    parents text not null,
    commit_time integer not null,
    policy text not null,
    median real not null,
    kind text not null,
    source text not null);
  create index run_by_branch on run (branch, id);
  create index run_by_source on run (source);
  create index run_by_commit on run (commit_id);
  create table snapshot (
    run integer primary key,
    dictionary integer not null,
    hash text not null,
    text blob not null);
  create table dictionary (
    id integer primary key,
    text blob not null);
  create table level (
    id integer primary key,
    run integer not null,
    reason text not null,
    owner text not null,
    until text not null,
    time integer not null,
    by text not null,
    change real,
    up_to real);
  create index level_by_run on level (run);
pragma application_id = 1885816937;
pragma user_version = 4;
