package io.parley.bench.suite;

/** The papers about JXTA whose experiments the suites repeat, by their titles. */
public enum Paper {
    /** Layers of JXTA 2.3 beside plain sockets, on fast networks. */
    CONVERGENCE("A practical example of convergence of P2P and grid computing"),
    /** JXTA 1.0: operations of a peer, and its three types of pipes. */
    COSTS("The Costs of Using JXTA: Initial Benchmarking Results"),
    /** Groups and messages over an XMPP server. */
    SUBSTRATE("A Network Substrate for Peer-to-Peer Grid Computing beyond Embarrassingly Parallel Applications"),
    /** java.io and java.nio beside C, measured with NetPIPE; its copy has no title. */
    NIO("NetPIPE: java.io and java.nio beside C"),
    /** Compressed XML in JXTA messages. */
    COMPRESSION("Using XML Compression to Increase Efficiency of P2P Messaging in JXTA-based Environments");

    private final String title;

    Paper(String title) {
        this.title = title;
    }

    /** Returns the title, without its end if it is long. */
    public String title() {
        return title;
    }

    /** Returns an experiment of this paper. */
    PaperExperiment experiment(String place) {
        return new PaperExperiment(this, place);
    }
}
