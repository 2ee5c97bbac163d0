create table StringTable (_id_ integer primary key, value text);
create table CUPTI_ACTIVITY_KIND_RUNTIME (cbid int, start int, end int, processId int, threadId int,
  correlationId int, returnValue int);
insert into CUPTI_ACTIVITY_KIND_RUNTIME values (16, 1000, 1100, 7, 1, 1, 0);
