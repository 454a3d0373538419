package io.parley.endpoint.internal;

/** How hard a messenger tries to deliver messages. */
enum Delivery {

    /** A message is kept until it is acknowledged. A full queue refuses messages. */
    RELIABLE,

    /** A message is forgotten when it is handed to the network. A full queue drops its oldest message for a new one. */
    DROP_OLDEST,

    /** A message is forgotten when it is handed to the network. A full queue drops the new message. */
    DROP_NEWEST
}
