"use strict";
// Before anything is drawn, so that no page flashes in the other theme.
try { document.documentElement.dataset.theme = localStorage.getItem("theme") || ""; } catch (refused) { /* then as the system */ }
if (!document.documentElement.dataset.theme) delete document.documentElement.dataset.theme;
