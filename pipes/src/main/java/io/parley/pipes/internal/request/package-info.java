/**
 * Requests and responses: the table of the requests of a group, the holders of a service that share them, and the channels that return
 * responses to requesters. Start with {@link io.parley.pipes.internal.request.PipeRequests}. Not API: the types are public for the packages of
 * this module.
 */
@NullMarked
package io.parley.pipes.internal.request;

import org.jspecify.annotations.NullMarked;
