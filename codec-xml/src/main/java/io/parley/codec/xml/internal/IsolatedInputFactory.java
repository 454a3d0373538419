package io.parley.codec.xml.internal;

import com.ctc.wstx.stax.WstxInputFactory;
import com.ctc.wstx.util.SymbolTable;

/**
 * A factory of Woodstox parsers that share no symbols. The parsers of a {@link WstxInputFactory} share a symbol table,
 * in which the names of all documents would be retained; this factory discards the symbols of each document.
 */
public final class IsolatedInputFactory extends WstxInputFactory {
    @Override
    public synchronized void updateSymbolTable(SymbolTable ofOneDocument) {
        // discards the symbols of the document
    }
}
