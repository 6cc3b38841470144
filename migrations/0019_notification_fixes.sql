-- The deliveries of one endpoint that are due, oldest first: a few of each endpoint are read, however many wait.
create index webhook_endpoint_deliveries_next on webhook_endpoint_deliveries (endpoint_id, due_at, id)
  where status = 'pending';
