package io.parley.resolver.internal;

/** Gets the answers to one propagated question. */
@FunctionalInterface
public interface QueryResponseListener {

    /** An answer came. Called on the resolver's executor, one at a time. What it throws is counted and logged. */
    void onResponse(QueryResponse answer);
}
