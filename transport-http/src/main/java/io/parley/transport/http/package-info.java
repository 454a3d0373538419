/**
 * Messages over HTTP, for peers behind firewalls. Nothing is here yet: the module keeps its place until the transport is
 * written.
 */
@NullMarked
package io.parley.transport.http;

import org.jspecify.annotations.NullMarked;
