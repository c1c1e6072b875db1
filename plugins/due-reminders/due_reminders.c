/* Open reminders by due date: a plugin in C. docs/plugins.md says how to build it.
 *
 * Every returned value is allocated, because the generated code frees it afterwards. Each call has its own instance, so
 * nothing else needs to be freed. */
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

static const char DESCRIPTION[] =
    "Lists the first 50 reminders that are not done, the one that is due first at the top. Takes no arguments. Returns "
    "{elements:[{id,properties:{name,\"due date\"}}],count,totalCount,hasMore}; a reference can be given to the other "
    "tools.";

static const char SCHEMA[] = "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}";

static const char QUESTION[] =
    "{\"container\":{\"type\":\"application\"},\"elementType\":\"reminder\","
    "\"where\":{\"property\":\"completed\",\"op\":\"==\",\"value\":false},"
    "\"properties\":[\"name\",\"due date\"],\"sort\":[{\"property\":\"due date\"}],\"limit\":50}";

void exports_iac_plugin_tools_list_tools(exports_iac_plugin_tools_list_tool_t *ret) {
    exports_iac_plugin_tools_tool_t *tool = calloc(1, sizeof *tool);
    if (tool == NULL) abort();
    plugin_string_dup(&tool->name, "due_reminders");
    plugin_string_dup(&tool->description, DESCRIPTION);
    plugin_string_dup(&tool->input_schema, SCHEMA);
    tool->effects.read_only = true;
    tool->effects.idempotent = true;
    ret->ptr = tool;
    ret->len = 1;
}

bool exports_iac_plugin_tools_call_tool(
    plugin_string_t *name, plugin_string_t *arguments, exports_iac_plugin_tools_outcome_t *ret, iac_plugin_types_fault_t *err
) {
    (void)name; /* There is one tool. */
    if (arguments->len != 2 || memcmp(arguments->ptr, "{}", 2) != 0) {
        memset(err, 0, sizeof *err);
        plugin_string_dup(&err->code, "invalid_parameter");
        plugin_string_dup(&err->message, "there are arguments, expected none");
        return false;
    }
    plugin_string_t bundle_id, question;
    plugin_string_set(&bundle_id, "com.apple.reminders");
    plugin_string_set(&question, QUESTION);
    iac_plugin_apps_own_app_t app;
    return iac_plugin_apps_open(&bundle_id, &app, err) &&
           iac_plugin_apps_method_app_get_elements(iac_plugin_apps_borrow_app(app), &question, &ret->value, err);
}
