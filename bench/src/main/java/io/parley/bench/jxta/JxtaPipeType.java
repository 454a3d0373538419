package io.parley.bench.jxta;

import net.jxta.pipe.PipeService;

/** The types of pipes of JXTA. */
enum JxtaPipeType {
    UNICAST(PipeService.UnicastType),
    /** Unicast over JXTA's own TLS, for which both peers have a certificate and log in. */
    SECURE(PipeService.UnicastSecureType),
    /** To a given set of peers, here one. */
    PROPAGATE(PipeService.PropagateType);

    private final String wireName;

    JxtaPipeType(String wireName) {
        this.wireName = wireName;
    }

    /** Returns the name of the type in advertisements. */
    String wireName() {
        return wireName;
    }
}
